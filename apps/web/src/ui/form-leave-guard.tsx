import { useFormikContext } from 'formik';
import { useBeforeUnload } from './use-before-unload';

/** For a form that is a part of its screen: what was typed into it is not left behind without a question. */
export function FormLeaveGuard() {
  const { dirty, isSubmitting } = useFormikContext();
  useBeforeUnload(dirty && !isSubmitting);
  return null;
}
