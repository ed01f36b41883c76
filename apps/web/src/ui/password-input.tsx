import { Eye, EyeOff } from 'lucide-react';
import { useState, type ComponentProps } from 'react';
import { cn } from './cn';
import { Input } from './input';

/** A password input with a button that shows the text. */
export function PasswordInput({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <span className="relative flex">
      <Input
        {...props}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        className={cn('pr-9 pointer-coarse:pr-11', className)}
      />
      <button
        type="button"
        aria-label={shown ? 'Hide characters' : 'Show characters'}
        aria-controls={props.id}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 grid w-8 place-items-center rounded-md text-muted hover:text-ink pointer-coarse:w-10"
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </span>
  );
}
