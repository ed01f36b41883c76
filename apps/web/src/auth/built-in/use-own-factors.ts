import { useEffect, useState } from 'react';
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
  retry: () => void;
}

/** Reads the second factors of the account. */
export function useOwnFactors(): OwnFactors {
  const [outcome, setOutcome] = useState<Omit<OwnFactors, 'retry'>>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    withRetries(() => anonymousApi.get<Factors>(endpoints.identity.factors)).then(
      ({ data }) => isCurrent && setOutcome({ factors: data }),
      (error: unknown) => isCurrent && setOutcome({ failure: failureText(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [attempt]);
  return { ...outcome, retry: () => setAttempt((made) => made + 1) };
}
