import { useState, type ReactNode } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { useConfiguration } from '@/api/configuration';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenEmailAddress, givenPassword } from '@/auth/built-in/form/validation';
import { useSession } from '@/auth/built-in/session-context';
import type { AwaitedFactors } from '@/auth/built-in/types';
import { pathAfterSignIn } from '@/auth/kept-path';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { AuthCard, TextButton } from './auth-card';
import { CodeCard } from './code-card';
import { ProviderButtons } from './provider-buttons';
import { useProviderFailure } from './provider-failure';

interface SignInCardProps {
  notice?: ReactNode;
  /** A link to sign-up; absent if sign-up is closed. */
  footer: ReactNode;
  onForgot: () => void;
}

export function SignInCard({ notice, footer, onForgot }: SignInCardProps) {
  const api = useApi();
  const { refresh } = useSession();
  const { passwords } = useConfiguration();
  const failure = useProviderFailure();

  const [awaited, setAwaited] = useState<AwaitedFactors | null>(null);

  async function signIn(values: SignInValues) {
    const { data } = await api.post<SignInResponse>(endpoints.identity.signIn, values);
    if (data.secondFactor) setAwaited(data);
    else await refresh();
  }

  if (awaited !== null) {
    return <CodeCard awaited={awaited} onSignedIn={refresh} onCancel={() => setAwaited(null)} />;
  }
  return (
    <AuthCard title="Sign in" footer={footer}>
      {notice}
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      <ProviderButtons returnTo={pathAfterSignIn()} onSignedIn={refresh} />
      {passwords && (
        <>
          <SignInForm onSubmit={signIn} />
          <p className="text-center">
            <TextButton onClick={onForgot}>Forgot your password?</TextButton>
          </p>
        </>
      )}
    </AuthCard>
  );
}

/** The account that is signed in, or the second factors that are needed. */
export type SignInResponse =
  { secondFactor?: undefined } | ({ secondFactor: true } & AwaitedFactors);

export interface SignInValues {
  email: string;
  password: string;
}

const schema = object({ email: givenEmailAddress, password: givenPassword });

interface SignInFormProps {
  email?: string;
  onSubmit: (values: SignInValues) => Promise<void>;
}

export function SignInForm({ email = '', onSubmit }: SignInFormProps) {
  return (
    <IdentityForm
      initialValues={{ email, password: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Sign in"
      pendingLabel="Signing in..."
    >
      <TextField name="email" label="Email" type="email" autoComplete="username" />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
    </IdentityForm>
  );
}
