import { useState } from 'react';
import { publicPaths } from '@/public-paths';
import { CopyField } from '@/ui/copy-field';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { bannerScript } from './integrations';
import { IntegrationSection } from './integration-section';

const positions = [
  ['', 'Where the script stands'],
  ['top-left', 'Top left'],
  ['top-right', 'Top right'],
  ['bottom-left', 'Bottom left'],
  ['bottom-right', 'Bottom right'],
] as const;

/** Chooses how the banner shows on another site, and offers its script. */
export function BannerSection({ orgId, url }: { orgId: string; url: string }) {
  const [always, setAlways] = useState(false);
  const [position, setPosition] = useState('');
  const { origin } = new URL(url);
  return (
    <IntegrationSection
      title="Banner"
      description="A live line on any other site. It sets no cookies, and needs two directives where a site has a content security policy."
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Visible">
          {(control) => (
            <Select
              {...control}
              value={String(always)}
              onChange={({ target }) => setAlways(target.value === 'true')}
            >
              <option value="false">When something is wrong</option>
              <option value="true">Always</option>
            </Select>
          )}
        </Field>
        <Field label="Position">
          {(control) => (
            <Select
              {...control}
              value={position}
              onChange={({ target }) => setPosition(target.value)}
            >
              {positions.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <iframe
        src={`${publicPaths.status(orgId)}/embed`}
        title="Preview of the banner"
        className="h-16 w-full"
      />
      <CopyField label="Script of the banner" value={bannerScript(url, { always, position })} />
      <CopyField
        label="Directives of the policy"
        value={`script-src ${origin}; frame-src ${origin}`}
      />
    </IntegrationSection>
  );
}
