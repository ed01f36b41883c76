/** What is missing until a mail server is configured. */
export const noMailServer = 'No mail server is set up here yet, so nobody receives mails.';
