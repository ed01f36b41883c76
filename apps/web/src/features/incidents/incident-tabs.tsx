import { Tabs } from '@/ui/tabs';
import { UpdatesPanel } from '@/updates/updates-panel';
import { AttachedComponents } from './attached-components';
import { incidentTimeline, type Incident } from './incident';

interface IncidentTabsProps {
  incident: Incident;
  /** After something on a tab has changed the incident. */
  onChanged: () => void;
}

export function IncidentTabs({ incident, onChanged }: IncidentTabsProps) {
  const resolved = incident.status === 'RESOLVED';
  return (
    <Tabs
      label="Incident"
      defaultValue="updates"
      tabs={[
        {
          value: 'components',
          label: 'Components',
          content: <AttachedComponents incidentId={incident.id} onChanged={onChanged} />,
        },
        {
          value: 'updates',
          label: 'Updates',
          content: (
            <UpdatesPanel
              timeline={incidentTimeline(incident.id)}
              about={incident.title}
              closed={resolved ? 'A resolved incident takes no new updates.' : undefined}
              onChanged={onChanged}
            />
          ),
        },
      ]}
    />
  );
}
