import { useFormikContext } from 'formik';
import { useId, useMemo } from 'react';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { GuideLink } from '@/ui/guide-link';
import { Input } from '@/ui/input';
import { Textarea } from '@/ui/textarea';
import type { SettingsValues } from './settings';
import { SubscriberFields } from './subscriber-fields';
import { timeZones, zoneLabel, zoneOf } from './time-zones';

interface SettingsFieldsProps {
  /** Whether the identity provider has the name. */
  nameElsewhere: boolean;
}

export function SettingsFields({ nameElsewhere }: SettingsFieldsProps) {
  return (
    <>
      <Card id="general">
        <CardHeader
          title="General"
          actions={<GuideLink guide="status-page#settings" topic="these settings" />}
        />
        <CardBody className="grid gap-5">
          <NameField nameElsewhere={nameElsewhere} />
          <TimeZoneField />
          <NotifyByDefaultField />
        </CardBody>
      </Card>
      <Card id="page">
        <CardHeader title="Page" description="What visitors see on the public pages." />
        <CardBody className="grid gap-5">
          <PageFields />
        </CardBody>
      </Card>
      <Card id="subscribers">
        <CardHeader
          title="Subscribers"
          description="Who receives which messages, and how."
          actions={<GuideLink guide="subscribers" topic="subscribers" />}
        />
        <CardBody className="grid gap-5">
          <SubscriberFields />
        </CardBody>
      </Card>
    </>
  );
}

function NameField({ nameElsewhere }: SettingsFieldsProps) {
  const { errors, touched, getFieldProps } = useFormikContext<SettingsValues>();
  return (
    <Field
      label="Name"
      required={!nameElsewhere}
      description={nameElsewhere && 'Your identity provider has the name. Change it there.'}
      error={touched.name && errors.name}
    >
      {(control) => (
        <Input
          {...control}
          {...getFieldProps('name')}
          autoComplete="organization"
          readOnly={nameElsewhere || control.readOnly}
        />
      )}
    </Field>
  );
}

/**
 * An input with the names of all zones as suggestions, which it searches. A city becomes its zone
 * when the field is left.
 */
function TimeZoneField() {
  const { values, initialValues, errors, touched, getFieldProps, setFieldValue } =
    useFormikContext<SettingsValues>();
  const list = useId();
  const zones = useMemo(() => timeZones(), []);
  const field = getFieldProps<string>('timeZone');

  function complete() {
    // The browser may know the stored zone by another name.
    if (values.timeZone === initialValues.timeZone) return;
    const zone = zoneOf(values.timeZone);
    if (zone !== undefined && zone !== values.timeZone) void setFieldValue('timeZone', zone);
  }

  return (
    <Field
      label="Time zone"
      required
      description="Days, uptime and the history of the public pages are in it. The live status page shows the visitor's local time. Type a city to search."
      error={touched.timeZone && errors.timeZone}
    >
      {(control) => (
        <>
          <Input
            {...control}
            {...field}
            list={list}
            autoComplete="off"
            spellCheck={false}
            // Selects the name of the zone, so that typed text replaces it; otherwise it would hide
            // all others from the search.
            onFocus={({ target }) => target.select()}
            onBlur={(event) => {
              field.onBlur(event);
              complete();
            }}
          />
          <datalist id={list}>
            {zones.map((zone) => (
              <option key={zone} value={zone} label={zoneLabel(zone)} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function NotifyByDefaultField() {
  const { values, getFieldProps } = useFormikContext<SettingsValues>();
  return (
    <Checkbox
      label="Notify subscribers by default"
      description="“Notify subscribers” starts ticked in the forms of incidents and maintenances."
      {...getFieldProps('notifyByDefault')}
      checked={values.notifyByDefault}
    />
  );
}

function PageFields() {
  const { values, errors, touched, getFieldProps } = useFormikContext<SettingsValues>();
  return (
    <>
      <Field
        label="Page title"
        description="Leave it empty to show the name."
        error={touched.pageTitle && errors.pageTitle}
      >
        {(control) => (
          <Input {...control} {...getFieldProps('pageTitle')} placeholder={values.name} />
        )}
      </Field>
      <Field
        label="Page description"
        description="A few words below the title."
        error={touched.pageDescription && errors.pageDescription}
      >
        {(control) => <Textarea {...control} {...getFieldProps('pageDescription')} />}
      </Field>
      <Field
        label="Support link"
        description="Where visitors find help: a page, or a mailto address."
        error={touched.supportUrl && errors.supportUrl}
      >
        {(control) => (
          <Input
            {...control}
            {...getFieldProps('supportUrl')}
            inputMode="url"
            autoComplete="off"
            placeholder="https://example.com/help"
          />
        )}
      </Field>
    </>
  );
}
