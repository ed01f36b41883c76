import type { PublicMaintenance } from '@/api/types';
import { Card } from '@/ui/card';
import { Maintenance } from './maintenance';
import { NothingHere, Omitted, PageSection, pastShown } from './page-section';

interface MaintenanceListProps {
  maintenances: readonly PublicMaintenance[];
  changes: Readonly<Record<string, number>>;
  className?: string;
}

/** What is to come or going on first; what is over follows. */
export function MaintenanceList({ maintenances, changes, className }: MaintenanceListProps) {
  const ahead = maintenances.filter((maintenance) => !isOver(maintenance));
  const over = maintenances.filter(isOver);
  return (
    <PageSection id="maintenance" title="Scheduled Maintenance" {...(className && { className })}>
      {maintenances.length === 0 && <NothingHere>No maintenance is scheduled.</NothingHere>}
      {[ahead, over].map(
        (group) =>
          group.length > 0 && (
            <Card key={group === ahead ? 'ahead' : 'over'} className="divide-y divide-line">
              {group.map((maintenance) => (
                <Maintenance
                  key={maintenance.id}
                  maintenance={maintenance}
                  changes={changes}
                  quiet={group === over}
                />
              ))}
            </Card>
          ),
      )}
      {over.length >= pastShown && (
        <Omitted>{`Only the newest ${pastShown} past maintenances are shown.`}</Omitted>
      )}
    </PageSection>
  );
}

function isOver({ status }: PublicMaintenance): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED';
}
