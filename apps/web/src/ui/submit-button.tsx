import { useFormikContext } from 'formik';
import { Button, type ButtonProps } from './button';

interface SubmitButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'children'> {
  label: string;
  pendingLabel: string;
}

/** Submits the form around it. */
export function SubmitButton({ label, pendingLabel, ...button }: SubmitButtonProps) {
  const { isSubmitting } = useFormikContext();
  return (
    <Button type="submit" variant="primary" pending={isSubmitting} {...button}>
      {isSubmitting ? pendingLabel : label}
    </Button>
  );
}
