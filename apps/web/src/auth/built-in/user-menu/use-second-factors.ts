import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { useQuery } from '@/api/use-query';
import { withToast } from '@/auth/built-in/form/with-toast';
import { createPasskey } from '@/auth/built-in/passkey/authenticator';
import type {
  AddedPasskey,
  ConfirmedTotp,
  Factors,
  Passkey,
  RecoveryCodes,
  TotpEnrolment,
} from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { toast } from '@/ui/toast';

const { identity } = endpoints;

/** What is shown in place of the factors. */
type Step =
  | { kind: 'enrolling'; enrolment: TotpEnrolment }
  | { kind: 'adding-passkey' }
  | { kind: 'renaming-passkey'; passkey: Passkey }
  | { kind: 'codes'; codes: string[]; areReplaced: boolean };

/**
 * The second factors of the account, what changes them, and the step in which the user is.
 * `onAdded` is called when the user has added a factor and kept the recovery codes.
 */
export function useSecondFactors(onAdded?: () => void) {
  const api = useApi();
  const factors = useQuery<Factors>(identity.factors);
  const [step, setStep] = useState<Step | null>(null);

  const refresh = () => factors.refresh().catch(() => undefined);

  /** Makes a change from outside of a form: its failure is a toast. */
  async function act(change: () => Promise<void>) {
    await withToast(change);
    await refresh();
  }

  function showCodes(codes: string[]) {
    const before = factors.data?.recoveryCodes ?? 0;
    setStep({ kind: 'codes', codes, areReplaced: before > 0 });
  }

  function finish() {
    setStep(null);
    onAdded?.();
  }

  /** Shows the recovery codes that came with a factor, if it has brought some. */
  async function afterFactorAdded(codes: string[] | null, text: string) {
    if (codes === null) {
      toast.success(text);
      finish();
    } else {
      showCodes(codes);
    }
    await refresh();
  }

  return {
    factors,
    step,
    setStep,
    /** Ends the step of the recovery codes. */
    finish,

    enrolApp: () =>
      act(async () => {
        const { data } = await api.post<TotpEnrolment>(identity.totp);
        setStep({ kind: 'enrolling', enrolment: data });
      }),

    /** Throws `ApiError`. */
    confirmApp: async (code: string) => {
      const { data } = await api.post<ConfirmedTotp>(identity.confirmTotp, { code });
      await afterFactorAdded(data.recoveryCodes, 'Authenticator app added');
    },

    removeApp: () =>
      act(async () => {
        await api.delete(identity.totp);
        toast.success('Authenticator app removed');
      }),

    /** Throws `ApiError`, or why the browser has created no passkey. */
    addPasskey: async (name: string) => {
      const options = await api.post<PublicKeyCredentialCreationOptionsJSON>(
        identity.passkeyOptions,
      );
      const response = await createPasskey(options.data);
      const { data } = await api.post<AddedPasskey>(identity.passkeys, { name, response });
      await afterFactorAdded(data.recoveryCodes, 'Passkey added');
    },

    /** Throws `ApiError`. */
    renamePasskey: async ({ id }: Passkey, name: string) => {
      await api.patch(identity.passkey(id), { name });
      setStep(null);
      toast.success('Passkey renamed');
      await refresh();
    },

    removePasskey: ({ id }: Passkey) =>
      act(async () => {
        await api.delete(identity.passkey(id));
        toast.success('Passkey removed');
      }),

    replaceCodes: () =>
      act(async () => {
        const { data } = await api.post<RecoveryCodes>(identity.recoveryCodes);
        showCodes(data.recoveryCodes);
      }),
  };
}
