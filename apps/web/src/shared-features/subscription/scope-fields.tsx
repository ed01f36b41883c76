import { useFormikContext, type FormikErrors } from 'formik';
import { useId, type AriaAttributes } from 'react';
import { Checkbox } from '@/ui/checkbox';
import { FieldError } from '@/ui/field';
import { Radio } from '@/ui/radio';
import type { ScopeEntry, ScopeValues } from './scope';

/** Inside a form: what a subscriber receives. */
export function ScopeFields({ entries }: { entries: readonly ScopeEntry[] }) {
  const { values, setFieldValue } = useFormikContext<ScopeValues>();
  const name = useId();
  const radio = (choice: ScopeValues['choice'], label: string) => (
    <Radio
      name={name}
      label={label}
      checked={values.choice === choice}
      onChange={() => void setFieldValue('choice', choice)}
    />
  );
  return (
    <div className="grid gap-4">
      {(entries.length > 0 || values.choice === 'chosen') && (
        <fieldset className="grid min-w-0 gap-2 pointer-coarse:gap-0">
          <legend className="mb-1.5 text-sm font-medium text-ink">Updates about</legend>
          {radio('everything', 'Everything')}
          {radio('chosen', 'Chosen components')}
          {values.choice === 'chosen' && <Choice entries={entries} />}
        </fieldset>
      )}
      <Checkbox
        label="Mute maintenance"
        description="Only incidents are sent."
        name="muteMaintenances"
        checked={values.muteMaintenances}
        onChange={({ target }) => void setFieldValue('muteMaintenances', target.checked)}
      />
    </div>
  );
}

function Choice({ entries }: { entries: readonly ScopeEntry[] }) {
  const { errors, submitCount } = useFormikContext<ScopeValues>();
  const errorId = useId();
  const error = submitCount > 0 && errorText(errors);
  const wrong = error ? { 'aria-invalid': true, 'aria-describedby': errorId } : undefined;
  return (
    <div role="group" aria-label="Components" className="ml-6 grid gap-1.5">
      {/* Browsers let the keyboard scroll what has controls in it. */}
      <div className="grid max-h-56 gap-2 overflow-y-auto rounded-md border border-line p-3 pointer-coarse:gap-0">
        {entries.map((entry) =>
          entry.group ? (
            <GroupChoice key={entry.group.id} {...entry} group={entry.group} wrong={wrong} />
          ) : (
            <ComponentChoices key="" components={entry.components} wrong={wrong} />
          ),
        )}
      </div>
      <FieldError id={errorId} error={error} />
    </div>
  );
}

interface ChoiceProps {
  components: ScopeEntry['components'];
  /** Attributes of each box while the choice is invalid. */
  wrong: AriaAttributes | undefined;
}

interface GroupChoiceProps extends ChoiceProps {
  group: NonNullable<ScopeEntry['group']>;
}

function GroupChoice({ group, components, wrong }: GroupChoiceProps) {
  const { values, setValues } = useFormikContext<ScopeValues>();
  const isChosen = values.groups.includes(group.id);

  function choose(chosen: boolean) {
    const own = new Set(components.map(({ id }) => id));
    void setValues({
      ...values,
      groups: withId(values.groups, group.id, chosen),
      components: values.components.filter((id) => !own.has(id)),
    });
  }

  return (
    <div role="group" aria-label={group.name} className="grid gap-2 pointer-coarse:gap-0">
      <Checkbox
        {...wrong}
        label={`All of ${group.name}`}
        checked={isChosen}
        onChange={({ target }) => choose(target.checked)}
      />
      <div className="ml-6 grid gap-2 pointer-coarse:gap-0">
        <ComponentChoices components={components} wrong={wrong} isGroupChosen={isChosen} />
      </div>
    </div>
  );
}

interface ComponentChoicesProps extends ChoiceProps {
  isGroupChosen?: boolean;
}

function ComponentChoices({ components, wrong, isGroupChosen = false }: ComponentChoicesProps) {
  const { values, setFieldValue } = useFormikContext<ScopeValues>();
  return components.map(({ id, name }) => (
    <Checkbox
      {...wrong}
      key={id}
      label={name}
      disabled={isGroupChosen}
      checked={isGroupChosen || values.components.includes(id)}
      onChange={({ target }) =>
        void setFieldValue('components', withId(values.components, id, target.checked))
      }
    />
  ));
}

function withId(ids: readonly string[], id: string, isIn: boolean): string[] {
  const others = ids.filter((other) => other !== id);
  return isIn ? [...others, id] : others;
}

/** The server names the place in a list, which may be that of any component. */
function errorText({ components, groups }: FormikErrors<ScopeValues>): string | undefined {
  return [components, groups].flat().find(Boolean);
}
