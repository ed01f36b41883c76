import { useFormikContext } from 'formik';
import { Eye, Pencil } from 'lucide-react';
import { useState } from 'react';
import useSWR from 'swr';
import { useApi } from '@/api/api-provider';
import type { ApiError } from '@/api/error';
import { limits } from '@/api/text';
import { Prose } from '@/site/prose';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { formatNumber } from '@/ui/format';
import { Skeleton } from '@/ui/skeleton';
import { Textarea } from '@/ui/textarea';
import type { ReviewValues } from './review';

/** The text of a review, and what it looks like. */
export function ReviewFields({ previewPath }: { previewPath: string }) {
  const { values, touched, errors, getFieldProps } = useFormikContext<ReviewValues>();
  const [isPreviewWanted, setPreviewWanted] = useState(false);
  const isPreview = isPreviewWanted && errors.body === undefined;
  const length = Array.from(values.body).length;
  return (
    <div className="grid min-w-0 gap-3">
      <Button
        size="sm"
        className="justify-self-end"
        disabled={errors.body !== undefined}
        onClick={() => setPreviewWanted(!isPreview)}
      >
        {isPreview ? <Pencil aria-hidden /> : <Eye aria-hidden />}
        {isPreview ? 'Write' : 'Preview'}
      </Button>
      {isPreview ? (
        <Preview path={previewPath} body={values.body.trim()} />
      ) : (
        <Field
          label="Review"
          required
          description={`Markdown: headings, lists, links, tables. ${formatNumber(length)} of ${formatNumber(limits.review)} characters.`}
          error={touched.body === true || length > limits.review ? errors.body : undefined}
        >
          {(control) => (
            <Textarea {...control} {...getFieldProps('body')} className="h-96 font-mono text-sm" />
          )}
        </Field>
      )}
    </div>
  );
}

/** The text as the server renders it. */
function Preview({ path, body }: { path: string; body: string }) {
  const api = useApi();
  const { data, error } = useSWR<string, ApiError>(body ? [path, body] : null, async () => {
    return (await api.post<{ html: string }>(path, { body })).data.html;
  });
  return (
    <section aria-label="Preview" className="min-h-96 min-w-0 rounded-lg border border-line p-4">
      {body === '' ? (
        <p className="text-muted">There is nothing to preview.</p>
      ) : error ? (
        <Alert kind="error">{error.message}</Alert>
      ) : data === undefined ? (
        <Skeleton className="h-80" />
      ) : (
        <Prose html={data} className="overflow-x-auto" />
      )}
    </section>
  );
}
