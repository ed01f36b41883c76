import { useFormikContext } from 'formik';
import { ChevronRight } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import { Link, useLocation } from 'react-router-dom';
import type { AttachedComponent, ComponentStatus, IncidentStatus } from '@/api/types';
import { useQuery, type Query } from '@/api/use-query';
import type { ImpactValues } from '@/items/impacts';
import { endpoints, paths } from '@/paths';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Field } from '@/ui/field';
import { LoadFailure } from '@/ui/load-failure';
import { Select } from '@/ui/select';
import { Skeleton } from '@/ui/skeleton';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import { useUniqueName } from './component-groups';
import { StatusForAll } from './status-for-all';

const options = statusOptions(componentStatuses);

/** The fields of an incident, for the dialogs of its updates. */
export const impactsOf = (incidentId: string) => <ImpactFields incidentId={incidentId} />;

/**
 * Inside the form of a new update: the statuses that the incident sets on its components. They are
 * folded at first.
 */
export function ImpactFields({ incidentId }: { incidentId: string }) {
  const { values } = useFormikContext<ImpactValues & { status: IncidentStatus }>();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const changed = Object.keys(values.impacts).length;
  const attached = useQuery<AttachedComponent[]>(
    isOpen || changed > 0 ? endpoints.incidents.components(incidentId) : null,
  );
  useDropDetached(attached);
  if (values.status === 'RESOLVED') {
    return (
      <p className="text-sm text-muted">Once it is resolved, it affects no component any more.</p>
    );
  }
  return (
    <div className="grid min-w-0 gap-2">
      <Button
        size="sm"
        className="justify-self-start"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight aria-hidden className={cn('transition-transform', isOpen && 'rotate-90')} />
        Component Statuses{changed > 0 && `: ${changed} changed`}
      </Button>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Attached {...attached} incidentId={incidentId} />}
      </div>
    </div>
  );
}

/**
 * Drops the new statuses of components that are no longer attached: with them, the server rejects
 * the update. Reads the attached components again after a rejected submission.
 */
function useDropDetached({ data: attached, refresh }: Query<AttachedComponent[]>) {
  const { values, submitCount, isSubmitting, setFieldValue } = useFormikContext<ImpactValues>();
  const drop = useEffectEvent((attached: readonly AttachedComponent[]) => {
    const ids = new Set(attached.map(({ componentId }) => componentId));
    const chosen = Object.entries(values.impacts);
    const kept = chosen.filter(([id]) => ids.has(id));
    if (kept.length < chosen.length) void setFieldValue('impacts', Object.fromEntries(kept));
  });
  useEffect(() => {
    if (attached) drop(attached);
  }, [attached]);
  const readAgain = useEffectEvent(() => {
    if (attached) void refresh();
  });
  useEffect(() => {
    if (submitCount > 0 && !isSubmitting) readAgain();
  }, [submitCount, isSubmitting]);
}

interface AttachedProps extends Query<AttachedComponent[]> {
  incidentId: string;
}

function Attached({ data, error, refresh, incidentId }: AttachedProps) {
  if (data === undefined) {
    return error ? (
      <LoadFailure
        title="The components could not be loaded"
        reason={error.message}
        onRetry={refresh}
      />
    ) : (
      <div aria-busy>
        <span className="sr-only">Loading...</span>
        <Skeleton className="h-14" />
      </div>
    );
  }
  if (data.length === 0) return <NoneAttached incidentId={incidentId} />;
  return <Statuses attached={data} />;
}

function NoneAttached({ incidentId }: { incidentId: string }) {
  const { pathname } = useLocation();
  return (
    <p className="text-sm text-muted">
      No component is attached to this incident.{' '}
      <Link
        to={paths.incidents.components(incidentId)}
        // From the screen of the incident, Cancel still leads to where it was opened.
        replace={pathname === paths.incidents.edit(incidentId)}
        className="text-ink underline underline-offset-4"
      >
        Attach Components
      </Link>
    </p>
  );
}

function Statuses({ attached }: { attached: readonly AttachedComponent[] }) {
  const { values, setFieldValue } = useFormikContext<ImpactValues>();
  const uniqueName = useUniqueName();
  const statusOf = ({ componentId, status }: AttachedComponent) =>
    values.impacts[componentId] ?? status;

  /** The values contain what differs from the stored statuses. */
  function set(chosen: readonly AttachedComponent[], status: ComponentStatus) {
    const impacts = attached.flatMap((component) => {
      const next = chosen.includes(component) ? status : statusOf(component);
      return next === component.status ? [] : [[component.componentId, next] as const];
    });
    void setFieldValue('impacts', Object.fromEntries(impacts));
  }

  return (
    <div className="grid gap-3">
      <p className="text-sm text-muted">
        The incident sets them until it is resolved. Messages about this update name them.
      </p>
      {attached.length > 1 && (
        <StatusForAll
          statuses={attached.map(statusOf)}
          onChoose={(status) => set(attached, status)}
        />
      )}
      <ul
        aria-label="Component statuses"
        className="scroll-area grid max-h-80 gap-3 overflow-y-auto"
      >
        {attached.map((component) => (
          <li key={component.componentId}>
            <Field label={uniqueName(component.component)}>
              {(control) => (
                <Select
                  {...control}
                  value={statusOf(component)}
                  onChange={({ target }) => set([component], target.value as ComponentStatus)}
                >
                  {options.map((status) => (
                    <option key={status.value} value={status.value}>
                      {status.label}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </li>
        ))}
      </ul>
    </div>
  );
}
