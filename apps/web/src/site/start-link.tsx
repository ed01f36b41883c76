import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants, type ButtonVariants } from '@/ui/button-variants';

/** What a link to the sign-in page asks it to begin with. */
export interface SignInIntent {
  wants: 'account';
}

const intent: SignInIntent = { wants: 'account' };

interface StartLinkProps extends ButtonVariants {
  className?: string;
  children: string;
}

/** To the sign-in page, for somebody who has no account yet: an account is made there, or waited for. */
export function StartLink({ className, children, ...look }: StartLinkProps) {
  return (
    <Link to={paths.login} state={intent} className={buttonVariants({ ...look, className })}>
      {children}
    </Link>
  );
}
