import { useFormikContext } from 'formik';
import { useUnsavedChanges } from './unsaved-changes';

/** For a form that is a part of a screen: asks before typed text is discarded. */
export function FormLeaveGuard() {
  const { dirty, isSubmitting } = useFormikContext();
  useUnsavedChanges(dirty, isSubmitting);
  return null;
}
