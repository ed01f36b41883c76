/** What signing up is called, by what it leads to. */
export interface SignUpWay {
  title: string;
  description?: string;
  submitLabel: string;
  pendingLabel: string;
}

const createAccount = { submitLabel: 'Create account', pendingLabel: 'Creating account...' };

export const signUpWays = {
  first: {
    title: 'Create the first account',
    description: 'It administers this installation.',
    ...createAccount,
  },
  open: { title: 'Create account', ...createAccount },
  waitlist: {
    title: 'Join the waitlist',
    description: 'Accounts are made by invitation here. Once you are let in, a link comes by mail.',
    submitLabel: 'Join the waitlist',
    pendingLabel: 'Joining...',
  },
} as const satisfies Record<string, SignUpWay>;
