import { Link } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';
import { paths } from '@/paths';

/** Where mails are until a mail server is configured; nothing after that. */
export function MailNotice() {
  const { mailServer } = useConfiguration();
  if (mailServer) return null;
  return (
    <p className="text-muted">
      <strong className="font-medium text-ink">
        No mail server is set up here yet, so nobody receives mails.
      </strong>{' '}
      The server writes each mail to the folder <code className="text-ink">mail</code> in its data
      folder, and the links of the mail to its log.{' '}
      <Link to={paths.guide('mail')} className="underline">
        How mail is set up
      </Link>
    </p>
  );
}
