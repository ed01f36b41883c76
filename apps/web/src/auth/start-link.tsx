import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants, type ButtonVariants } from '@/ui/button-variants';
import { cn } from '@/ui/cn';

/** The initial form that a link to the sign-in page requests. */
export interface SignInIntent {
  wants: 'account';
}

const intent: SignInIntent = { wants: 'account' };

interface StartLinkProps extends ButtonVariants {
  className?: string;
  children: string;
}

/** A link to the sign-up form of the sign-in page. */
export function StartLink({ className, children, ...style }: StartLinkProps) {
  return (
    <Link to={paths.login} state={intent} className={cn(buttonVariants(style), className)}>
      {children}
    </Link>
  );
}
