import { useFormikContext, type FormikHelpers } from 'formik';
import { useRef, useState, type ChangeEvent, type MouseEvent, type RefObject } from 'react';
import { Link } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import { serverMessageOr } from '@/api/server-message';
import type { SubscriberImport } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { Input } from '@/ui/input';
import { Spinner } from '@/ui/spinner';
import { toast } from '@/ui/toast';
import { ImportReport } from './import-report';
import { ImportResultDialog } from './import-result-dialog';
import {
  importedText,
  importQuery,
  importSchema,
  mailLimitText,
  type ImportValues,
} from './subscriber-import';

const maxBytes = 16 * 1024 * 1024;

interface ImportDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

/** Imports addresses from a file. The file is checked first. Says at the end what is left out. */
export function ImportDialog(dialog: ImportDialogProps) {
  const api = useApi();
  const listCache = useListCache();
  const [result, setResult] = useState<SubscriberImport>();

  async function run(values: ImportValues, form: FormikHelpers<ImportValues>) {
    try {
      const path = endpoints.subscribers.import(importQuery(values, false));
      const { data } = await api.upload<SubscriberImport>(path, 'text/csv', values.csv);
      if (data.failed > 0) setResult(data);
      else if (data.added > 0) toast.success(importedText(data));
      else toast(importedText(data));
    } catch (error) {
      showFailure(form, error, serverMessageOr('The file was not imported', error));
      return;
    }
    void listCache.refresh(endpoints.subscribers.list);
    dialog.onOpenChange(false);
  }

  return (
    <>
      <FormDialog<ImportValues>
        {...dialog}
        title="Import Subscribers"
        description={
          <>
            A CSV file with the header <code>email,components</code>. The second column may be left
            out.{' '}
            <Link to={paths.guide('subscribers')} className="underline">
              How the file is written
            </Link>
          </>
        }
        initialValues={{ csv: '', confirmed: false, consent: '' }}
        validationSchema={importSchema}
        onSubmit={run}
        submitLabel="Import"
        pendingLabel="Importing..."
      >
        <FileField />
        <ConsentFields />
      </FormDialog>
      <ImportResultDialog
        result={result}
        onClose={() => setResult(undefined)}
        returnTo={dialog.returnTo}
      />
    </>
  );
}

/** What the check of a file found. */
interface Checked {
  report: SubscriberImport;
  /** The mails that may still be sent today; undefined without a limit. */
  mailsLeft: number | undefined;
}

type Outcome = 'running' | Checked | { reason: string };

/** The check of a file: what its import would do. */
interface Check {
  fileName: string;
  outcome: Outcome;
}

/** Chooses the file, which is checked before it can be imported. */
function FileField() {
  const api = useApi();
  const { errors, touched, isSubmitting, setFieldTouched, setFieldValue } =
    useFormikContext<ImportValues>();
  const [check, setCheck] = useState<Check>();
  /** The newest choice. The outcome of an older check is ignored. */
  const chosen = useRef<File>(undefined);
  const isRunning = check?.outcome === 'running';

  /**
   * Forgets the file before another one is chosen. Otherwise the browser sends no event when that
   * is a corrected file of the same name. Afterwards would be too late: the field would say that no
   * file is chosen.
   */
  async function clear(event: MouseEvent<HTMLInputElement>) {
    if (isSubmitting) {
      event.preventDefault();
      return;
    }
    event.currentTarget.value = '';
    chosen.current = undefined;
    setCheck(undefined);
    await setFieldValue('csv', '');
  }

  async function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0];
    if (!file || isSubmitting) return;
    chosen.current = file;
    const show = (outcome: Outcome) => setCheck({ fileName: file.name, outcome });
    show('running');
    await setFieldTouched('csv', false, false);
    await setFieldValue('csv', '');
    try {
      if (file.size > maxBytes) throw new Error('The file is larger than 16 MiB');
      const csv = await file.text();
      const query = new URLSearchParams({ dryRun: 'true' });
      const path = endpoints.subscribers.import(query);
      const checked = await api.upload<SubscriberImport>(path, 'text/csv', csv);
      if (chosen.current !== file) return;
      show({ report: checked.data, mailsLeft: checked.meta?.mailsLeft });
      await setFieldValue('csv', csv);
    } catch (error) {
      if (chosen.current !== file) return;
      show({ reason: error instanceof Error ? error.message : 'The file cannot be read' });
    }
  }

  const error = isRunning ? 'Wait until the file is checked' : check === undefined && errors.csv;
  return (
    <>
      <Field label="CSV file" required error={touched.csv && errors.csv && error}>
        {(control) => (
          <Input
            {...control}
            type="file"
            accept=".csv,text/csv"
            className="h-auto! py-1 pl-1! file:mr-3 file:h-7 file:rounded-sm file:border file:border-line file:bg-raised file:px-2.5 file:text-sm file:font-medium"
            onClick={(event) => void clear(event)}
            onChange={(event) => void choose(event)}
          />
        )}
      </Field>
      <div role="status" className="grid gap-2 text-sm empty:hidden">
        {check && <CheckResult check={check} />}
      </div>
    </>
  );
}

function CheckResult({ check: { fileName, outcome } }: { check: Check }) {
  const { confirmed } = useFormikContext<ImportValues>().values;
  if (outcome === 'running') return <Spinner label={`Checking ${fileName}…`} />;
  if ('reason' in outcome) return <p className="font-medium text-major">{outcome.reason}</p>;
  const { report, mailsLeft } = outcome;
  const limit = confirmed ? null : mailLimitText(report.added, mailsLeft);
  return (
    <>
      <ImportReport result={report} />
      {limit && <p className="font-medium text-degraded">{limit}</p>}
    </>
  );
}

function ConsentFields() {
  const { values, errors, touched, getFieldProps } = useFormikContext<ImportValues>();
  return (
    <>
      <Checkbox
        label="These people have agreed to receive updates"
        description="Then no mail asks them to confirm. The audit log keeps what you say."
        {...getFieldProps('confirmed')}
        checked={values.confirmed}
      />
      {values.confirmed && (
        <Field label="How and when they agreed" required error={touched.consent && errors.consent}>
          {(control) => <Input {...control} {...getFieldProps('consent')} autoComplete="off" />}
        </Field>
      )}
    </>
  );
}
