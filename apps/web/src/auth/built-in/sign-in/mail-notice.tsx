import { useConfiguration } from '@/api/configuration';

/** Where the link of a mail is until a mail server is configured; nothing after that. */
export function MailNotice() {
  const { mailServer } = useConfiguration();
  if (mailServer) return null;
  return (
    <p className="text-muted">
      No mail server is set up here yet. The server writes each mail to the folder{' '}
      <code className="text-ink">mail</code> in its data folder, and its link to its log.
    </p>
  );
}
