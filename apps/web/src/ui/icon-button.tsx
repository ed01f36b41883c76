import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button';
import { Tooltip } from './tooltip';

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'size' | 'aria-label'> {
  /** Accessible name and tooltip. */
  label: string;
  icon: ReactNode;
}

export function IconButton({ label, icon, pending, variant = 'ghost', ...props }: IconButtonProps) {
  return (
    <Tooltip content={label}>
      <Button
        aria-label={label}
        size="icon"
        variant={variant}
        pending={pending ?? false}
        {...props}
      >
        {!pending && icon}
      </Button>
    </Tooltip>
  );
}
