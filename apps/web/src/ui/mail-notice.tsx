import { Link } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';
import { paths } from '@/paths';
import { Alert } from './alert';
import { noMailServer } from './no-mail-server';

/** Where mails are until a mail server is configured; nothing after that. */
export function MailNotice() {
  const { mailServer } = useConfiguration();
  if (mailServer) return null;
  return (
    <Alert
      kind="warning"
      title={noMailServer}
      action={
        <Link to={paths.guide('mail')} className="underline">
          How mail is set up
        </Link>
      }
    >
      The server writes each mail to the folder <code>mail</code> in its data folder, and the links
      of the mail to its log.
    </Alert>
  );
}
