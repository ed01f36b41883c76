import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import { toast } from '@/ui/toast';

export type Progress<T> =
  { status: 'running' } | { status: 'done'; data: T } | { status: 'failed'; message: string };

interface LinkCall {
  path: string;
  body: unknown;
  /** The toast after success. */
  done: string;
  /** Message of a failure without a message of the server. */
  failed: string;
}

/** Sends the request of a mailed link once, and again on demand. */
export function useLinkCall<T>({
  path,
  body,
  done,
  failed,
}: LinkCall): [Progress<T>, () => Promise<void>] {
  const api = useApi();
  const [progress, setProgress] = useState<Progress<T>>({ status: 'running' });
  const call = useRef({ path, body, done, failed });
  const isBegun = useRef(false);

  const run = useCallback(async () => {
    setProgress({ status: 'running' });
    try {
      const { data } = await api.post<T>(call.current.path, call.current.body);
      toast.success(call.current.done);
      setProgress({ status: 'done', data });
    } catch (error) {
      setProgress({ status: 'failed', message: serverMessageOr(call.current.failed, error) });
    }
  }, [api]);

  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    void run();
  }, [run]);

  return [progress, run];
}
