import { useState, type SyntheticEvent } from 'react';
import { failureText } from '@/auth/built-in/form/failure-text';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Dialog, DialogActions } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';

interface DeleteDialogProps {
  name: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Throws `ApiError`. */
  onDelete: () => Promise<void>;
}

/** Asks for the organisation's name to be typed: so much goes with it. */
export function DeleteDialog({ name, open, onOpenChange, onDelete }: DeleteDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Delete ${name}?`}
      description="Its status page, components, incidents, maintenance, subscribers and members go with it. It cannot be undone."
    >
      <DeleteForm name={name} onCancel={() => onOpenChange(false)} onDelete={onDelete} />
    </Dialog>
  );
}

interface DeleteFormProps extends Pick<DeleteDialogProps, 'name' | 'onDelete'> {
  onCancel: () => void;
}

function DeleteForm({ name, onCancel, onDelete }: DeleteFormProps) {
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function submit(event: SyntheticEvent) {
    event.preventDefault();
    if (typed.trim() !== name) return;
    setPending(true);
    setFailure(null);
    try {
      await onDelete();
    } catch (error) {
      setFailure(failureText(error));
      setPending(false);
    }
  }

  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      <Field label={`Type “${name}” to confirm`}>
        {(control) => (
          <Input
            {...control}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      <DialogActions>
        <Button disabled={pending} onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="danger" pending={pending} disabled={typed.trim() !== name}>
          {pending ? 'Deleting...' : 'Delete organisation'}
        </Button>
      </DialogActions>
    </form>
  );
}
