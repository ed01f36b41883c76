import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { answerOr } from '@/api/refusal';
import { toast } from '@/ui/toast';

export type Progress =
  { status: 'running' } | { status: 'done' } | { status: 'failed'; message: string };

interface LinkCall {
  path: string;
  body: unknown;
  /** The toast after success. */
  done: string;
  /** What is said of a failure that the server says nothing of. */
  failed: string;
}

/** Does what a mailed link is for, once, and again only when asked. */
export function useLinkCall({ path, body, done, failed }: LinkCall): [Progress, () => void] {
  const api = useApi();
  const [progress, setProgress] = useState<Progress>({ status: 'running' });
  const call = useRef({ path, body, done, failed });
  const isBegun = useRef(false);

  const run = useCallback(async () => {
    setProgress({ status: 'running' });
    try {
      await api.post(call.current.path, call.current.body);
      toast.success(call.current.done);
      setProgress({ status: 'done' });
    } catch (error) {
      setProgress({ status: 'failed', message: answerOr(call.current.failed, error) });
    }
  }, [api]);

  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    void run();
  }, [run]);

  return [progress, () => void run()];
}
