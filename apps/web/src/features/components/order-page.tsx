import { ListOrdered } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { useComponentNames } from '@/shared-features/affected/component-groups';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { EmptyState } from '@/ui/empty-state';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { LoadFailure } from '@/ui/load-failure';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import { OrderBoard } from './order-board';
import { countThings, noGroup } from './order-tree';
import { useOrder, type OrderEdit } from './use-order';

/** The order of components and groups on the status page. Nothing is sent before it is saved. */
export function OrderPage() {
  usePageTitle('Reorder');
  const order = useOrder();
  const { names, ...reading } = useComponentNames();
  const error = order.error ?? reading.error;
  const isLoading = order.tree === undefined || names === undefined;
  return (
    <Card className="mx-auto w-full max-w-3xl" aria-busy={isLoading && error === undefined}>
      <CardHeader
        title="Reorder"
        level={1}
        description="Visitors see groups and components in this order. Components can be moved into another group."
      />
      <CardBody className="grid gap-4">
        {order.tree && names ? (
          countThings(order.tree) < 2 ? (
            <TooFew />
          ) : (
            <>
              <OrderBoard
                tree={order.tree}
                nameOf={(id) => nameOf(id, names)}
                disabled={order.isSaving}
                onMove={order.move}
                onDragging={order.setDragging}
              />
              <Actions order={order} />
            </>
          )
        ) : error ? (
          <LoadFailure
            title="The order could not be loaded"
            reason={error.message}
            onRetry={() => Promise.all([order.retry(), reading.retry()])}
          />
        ) : (
          <Placeholder />
        )}
      </CardBody>
    </Card>
  );
}

function nameOf(id: string, names: ReadonlyMap<string, string>): string {
  // An order may arrive a moment before the name of something new.
  return id === noGroup ? 'No group' : (names.get(id) ?? '…');
}

function Actions({ order }: { order: OrderEdit }) {
  const { isDirty, isSaving } = order;
  const goBack = useGoBack(paths.components.list);
  const leave = useUnsavedChanges(isDirty, isSaving);
  const [isOutdated, setIsOutdated] = useState(false);

  async function save() {
    setIsOutdated(false);
    dismissFailureToast();
    try {
      if ((await order.save()) === 'outdated') {
        setIsOutdated(true);
        return;
      }
    } catch (error) {
      showFailureToast('The order was not saved', error);
      return;
    }
    toast.success('Order saved');
    leave(goBack);
  }

  return (
    <div
      data-bottom-bar
      className="sticky bottom-0 -mx-4 -mb-4 flex flex-wrap justify-end gap-2 rounded-b-lg border-t border-line bg-surface px-4 py-3"
    >
      {/* In the bar, which stays in view. A toast would cover its buttons. */}
      {isOutdated && isDirty && (
        <Alert kind="error" className="w-full">
          The order has changed since you opened it. The page now shows the new order with your
          moves: check it and save again.
        </Alert>
      )}
      <Button disabled={isSaving} onClick={() => leave(goBack)}>
        Cancel
      </Button>
      <Button variant="primary" disabled={!isDirty} pending={isSaving} onClick={() => void save()}>
        {isSaving ? 'Saving...' : 'Save Order'}
      </Button>
    </div>
  );
}

function TooFew() {
  return (
    <EmptyState
      icon={ListOrdered}
      title="Nothing to reorder yet"
      action={
        <Link to={paths.components.create} className={buttonVariants({ variant: 'primary' })}>
          New Component
        </Link>
      }
    >
      An order needs at least two components or groups.
    </EmptyState>
  );
}

function Placeholder() {
  return (
    <div className="grid gap-2">
      <span className="sr-only">Loading...</span>
      {[0, 1, 2, 3].map((row) => (
        <Skeleton key={row} className="h-10" />
      ))}
    </div>
  );
}
