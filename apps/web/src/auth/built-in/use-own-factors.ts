import { useCallback, useEffect, useState } from 'react';
import { anonymousApi } from '@/api/anonymous-api';
import { withRetries } from '@/api/retry';
import { endpoints } from '@/paths';
import { failureText } from './form/failure-text';
import type { Factors } from './types';

interface OwnFactors {
  /** Undefined until they are read. */
  factors?: Factors;
  /** Why they could not be read. */
  failure?: string;
  retry: () => Promise<void>;
}

/** Reads the second factors of the account. */
export function useOwnFactors(): OwnFactors {
  const [outcome, setOutcome] = useState<Omit<OwnFactors, 'retry'>>({});
  const read = useCallback(
    () =>
      withRetries(() => anonymousApi.get<Factors>(endpoints.identity.factors)).then(
        ({ data }) => setOutcome({ factors: data }),
        (error: unknown) => setOutcome({ failure: failureText(error) }),
      ),
    [],
  );
  useEffect(() => void read(), [read]);
  return { ...outcome, retry: read };
}
