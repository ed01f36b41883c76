import { Button } from './button';
import { DialogActions } from './dialog';
import { useCloseDialog } from './dialog-guard';

/** Closes the surrounding dialog, with the question of its close button. */
export function DoneButton() {
  return (
    <DialogActions>
      <Button variant="primary" onClick={useCloseDialog()}>
        Done
      </Button>
    </DialogActions>
  );
}
