import { useState, type ReactNode } from 'react';
import type { PageState } from '@/features/status-page/page-state';
import { SubscribeContext, type SubscribeRequest } from './subscribe-context';

interface SubscribeProviderProps {
  state: PageState;
  children: ReactNode;
}

export function SubscribeProvider({ state, children }: SubscribeProviderProps) {
  const [request, setRequest] = useState<SubscribeRequest>({});
  const [isOpen, setIsOpen] = useState(false);

  function open(next: SubscribeRequest) {
    setRequest(next);
    setIsOpen(true);
  }

  return (
    <SubscribeContext value={{ state, request, isOpen, open, close: () => setIsOpen(false) }}>
      {children}
    </SubscribeContext>
  );
}
