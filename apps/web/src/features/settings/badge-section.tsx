import { useState } from 'react';
import type { StatusSnapshot } from '@/api/types';
import { publicPaths } from '@/public-paths';
import { useUniqueName } from '@/shared-features/affected/component-groups';
import { CopyField } from '@/ui/copy-field';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { badgePath, badgeTexts, longestLabel, type BadgeChoice } from './integrations';
import { IntegrationSection } from './integration-section';

/** Chooses a badge, shows it, and offers its address. */
export function BadgeSection({ snapshot }: { snapshot: StatusSnapshot }) {
  const { organisation, components } = snapshot;
  const [choice, setChoice] = useState<BadgeChoice>({
    component: '',
    metric: 'status',
    style: 'flat',
    label: '',
  });
  const uniqueName = useUniqueName();
  const component = components.find(({ code }) => code === choice.component);
  const path = badgePath(choice);
  const name = component?.name ?? organisation.pageTitle;
  return (
    <IntegrationSection
      title="Badge"
      description="A picture of the status, for a readme or the foot of a page. It is at most a minute old."
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Badge of">
          {(control) => (
            <Select
              {...control}
              value={choice.component}
              onChange={({ target }) =>
                setChoice({ ...choice, component: target.value, metric: 'status' })
              }
            >
              <option value="">The page</option>
              {components.map((it) => (
                <option key={it.code} value={it.code}>
                  {uniqueName(it)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Shows">
          {(control) => (
            <Select
              {...control}
              value={choice.metric}
              onChange={({ target }) => setChoice({ ...choice, metric: target.value })}
            >
              <option value="status">Status</option>
              {component?.uptime &&
                ['7', '30', '90'].map((days) => (
                  <option key={days} value={days}>{`Uptime of ${days} days`}</option>
                ))}
            </Select>
          )}
        </Field>
        <Field label="Style">
          {(control) => (
            <Select
              {...control}
              value={choice.style}
              onChange={({ target }) => setChoice({ ...choice, style: target.value })}
            >
              <option value="flat">Round corners</option>
              <option value="flat-square">Square corners</option>
            </Select>
          )}
        </Field>
        <Field label="Label">
          {(control) => (
            <Input
              {...control}
              value={choice.label}
              placeholder={name}
              maxLength={longestLabel}
              onChange={({ target }) => setChoice({ ...choice, label: target.value })}
            />
          )}
        </Field>
      </div>
      <img
        src={publicPaths.status(organisation.id) + path}
        alt={`Preview of the badge of ${name}`}
        height={20}
        className="max-w-full"
      />
      {badgeTexts(organisation.url, path, name).map(([label, value]) => (
        <CopyField key={label} label={label} value={value} />
      ))}
    </IntegrationSection>
  );
}
