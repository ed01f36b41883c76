import { useFormikContext } from 'formik';
import { LeaveGuard } from './leave-guard';

/** For a form that is a part of its screen: asks before what was typed into it is left behind. One a page. */
export function FormLeaveGuard() {
  const { dirty, isSubmitting } = useFormikContext();
  return <LeaveGuard when={dirty && !isSubmitting} />;
}
