import { useFormikContext } from 'formik';
import { useBeforeUnload } from './use-before-unload';

/** For a form that is a part of a screen: asks before typed text is discarded. */
export function FormLeaveGuard() {
  const { dirty } = useFormikContext();
  useBeforeUnload(dirty);
  return null;
}
