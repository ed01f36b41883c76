import { useEffect, useState } from 'react';
import { createApiClient } from '@/api/client';
import { endpoints } from '@/paths';
import type { Factors } from './types';

const api = createApiClient(() => Promise.resolve(null));

/** The second factors of the account, read when they are needed; undefined until they are read, null if they cannot be. */
export function useOwnFactors(isNeeded: boolean): Factors | null | undefined {
  const [factors, setFactors] = useState<Factors | null>();
  useEffect(() => {
    if (!isNeeded) return undefined;
    let isCurrent = true;
    api.get<Factors>(endpoints.identity.factors).then(
      ({ data }) => isCurrent && setFactors(data),
      () => isCurrent && setFactors(null),
    );
    return () => {
      isCurrent = false;
      setFactors(undefined);
    };
  }, [isNeeded]);
  return factors;
}
