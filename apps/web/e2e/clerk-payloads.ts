import type {
  AttributeDataJSON,
  ClientJSON,
  EmailAddressJSON,
  EnvironmentJSON,
  OrganizationJSON,
  OrganizationMembershipJSON,
  PublicUserDataJSON,
  SessionJSON,
  SignInJSON,
  UserJSON,
} from '@clerk/shared/types';

/*
 * Responses of Clerk's frontend API. The shapes are the ones Clerk publishes (@clerk/shared/types,
 * the interfaces ending in JSON); the values are those of Clerk's own fixtures:
 * packages/clerk-js/src/core/resources/__tests__/ (Environment.test.ts, Client.test.ts,
 * Organization.test.ts) and packages/clerk-js/src/test/fixture-helpers.ts in clerk/javascript. What
 * an instance without extras leaves out is left out here: hence the casts, in one place.
 */

export interface Person {
  id: string;
  firstName: string;
  lastName: string;
  email: string;
  password: string;
}

export interface Organisation {
  id: string;
  name: string;
  slug: string;
}

export interface Membership {
  id: string;
  person: Person;
  organisation: Organisation;
  role: 'org:admin' | 'org:member';
}

/** Without what Clerk has deprecated. */
export type SignInPayload = Omit<SignInJSON, 'supported_identifiers'>;
type UserPayload = Omit<UserJSON, 'saml_accounts'>;
export type SessionPayload = Omit<SessionJSON, 'user'> & { user: UserPayload };
export type ClientPayload = Omit<ClientJSON, 'sessions' | 'sign_in'> & {
  sessions: SessionPayload[];
  sign_in: SignInPayload | null;
};

const since = Date.UTC(2026, 0, 1);
const stamps = { created_at: since, updated_at: since };

function attribute(more: Partial<AttributeDataJSON> = {}): AttributeDataJSON {
  return {
    enabled: false,
    required: false,
    verifications: [],
    used_for_first_factor: false,
    first_factors: [],
    used_for_second_factor: false,
    second_factors: [],
    verify_at_sign_up: false,
    ...more,
  };
}

/** An instance with e-mail addresses, passwords, organisations, and whatever sign-up mode. */
export function environment(signUpMode: 'public' | 'waitlist'): unknown {
  const off = attribute();
  const userSettings = {
    attributes: {
      email_address: attribute({
        enabled: true,
        required: true,
        used_for_first_factor: true,
        first_factors: ['email_code'],
        verifications: ['email_code'],
        verify_at_sign_up: true,
      }),
      password: attribute({ enabled: true, required: true }),
      first_name: attribute({ enabled: true }),
      last_name: attribute({ enabled: true }),
      phone_number: off,
      username: off,
      web3_wallet: off,
      authenticator_app: off,
      backup_code: off,
      passkey: off,
    },
    actions: { delete_self: true, create_organization: true },
    social: {},
    enterprise_sso: { enabled: false },
    sign_in: { second_factor: { required: false, enabled: false } },
    sign_up: {
      allowlist_only: false,
      captcha_enabled: false,
      legal_consent_enabled: false,
      mode: signUpMode,
      progressive: true,
    },
    password_settings: {
      allowed_special_characters: '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~',
      disable_hibp: false,
      max_length: 72,
      min_length: 8,
      min_zxcvbn_strength: 0,
      require_lowercase: false,
      require_numbers: false,
      require_special_char: false,
      require_uppercase: false,
      show_zxcvbn: false,
    },
    passkey_settings: { allow_autofill: false, show_sign_in_button: false },
    username_settings: { min_length: 4, max_length: 64 },
  } satisfies Omit<EnvironmentJSON['user_settings'], 'id' | 'object' | 'social' | 'saml'> & {
    social: object;
  };

  return {
    object: 'environment',
    id: 'env_1',
    auth_config: {
      object: 'auth_config',
      id: 'aconf_1',
      single_session_mode: true,
      claimed_at: null,
      reverification: false,
    },
    display_config: {
      object: 'display_config',
      id: 'display_config_1',
      application_name: 'Allclear',
      branded: true,
      captcha_provider: 'turnstile',
      captcha_public_key: null,
      captcha_public_key_invisible: null,
      captcha_oauth_bypass: [],
      captcha_widget_type: null,
      clerk_js_version: '5',
      instance_environment_type: 'development',
      preferred_sign_in_strategy: 'password',
      show_devmode_warning: false,
      theme: {},
    },
    maintenance_mode: false,
    organization_settings: {
      enabled: true,
      max_allowed_memberships: 5,
      force_organization_selection: false,
      actions: { admin_delete: true },
      domains: { enabled: false, enrollment_modes: [], default_role: null },
      slug: { disabled: true },
      organization_creation_defaults: { enabled: false },
    },
    user_settings: userSettings,
    commerce_settings: {
      billing: {
        stripe_publishable_key: null,
        organization: { enabled: false, has_paid_plans: false },
        user: { enabled: false, has_paid_plans: false },
      },
    },
    api_keys_settings: { user_api_keys_enabled: false, orgs_api_keys_enabled: false },
    protect_config: { object: 'protect_config', id: 'protect_1' },
  };
}

export function organization({ id, name, slug }: Organisation, members: number): OrganizationJSON {
  return {
    object: 'organization',
    id,
    name,
    slug,
    image_url: '',
    has_image: false,
    public_metadata: {},
    members_count: members,
    pending_invitations_count: 0,
    admin_delete_enabled: true,
    max_allowed_memberships: 5,
    ...stamps,
  };
}

export function publicUserData(person: Person): PublicUserDataJSON {
  return {
    first_name: person.firstName,
    last_name: person.lastName,
    image_url: '',
    has_image: false,
    identifier: person.email,
    user_id: person.id,
  };
}

export function membership(of: Membership, members: number): OrganizationMembershipJSON {
  return {
    object: 'organization_membership',
    id: of.id,
    organization: organization(of.organisation, members),
    // System permissions of the default roles (docs: "Roles and permissions").
    permissions:
      of.role === 'org:admin'
        ? [
            'org:sys_profile:manage',
            'org:sys_profile:delete',
            'org:sys_memberships:read',
            'org:sys_memberships:manage',
            'org:sys_domains:read',
            'org:sys_domains:manage',
          ]
        : ['org:sys_memberships:read'],
    public_metadata: {},
    public_user_data: publicUserData(of.person),
    role: of.role,
    role_name: of.role === 'org:admin' ? 'Admin' : 'Member',
    ...stamps,
  };
}

export function user(person: Person, memberships: OrganizationMembershipJSON[]): UserPayload {
  const address: EmailAddressJSON = {
    object: 'email_address',
    id: `idn_${person.id}`,
    email_address: person.email,
    verification: null,
    linked_to: [],
    matches_sso_connection: false,
  };
  return {
    object: 'user',
    id: person.id,
    external_id: null,
    primary_email_address_id: address.id,
    primary_phone_number_id: null,
    primary_web3_wallet_id: null,
    image_url: '',
    has_image: false,
    username: null,
    email_addresses: [address],
    phone_numbers: [],
    web3_wallets: [],
    external_accounts: [],
    enterprise_accounts: [],
    passkeys: [],
    organization_memberships: memberships,
    password_enabled: true,
    profile_image_id: '',
    first_name: person.firstName,
    last_name: person.lastName,
    totp_enabled: false,
    backup_code_enabled: false,
    two_factor_enabled: false,
    public_metadata: {},
    unsafe_metadata: {},
    last_sign_in_at: since,
    create_organization_enabled: true,
    create_organizations_limit: null,
    delete_self_enabled: true,
    legal_accepted_at: null,
    ...stamps,
  };
}

export function session(
  id: string,
  token: string,
  organisationId: string | null,
  person: Person,
  memberships: OrganizationMembershipJSON[],
): SessionPayload {
  const later = Date.now() + 7 * 24 * 60 * 60 * 1000;
  return {
    object: 'session',
    id,
    status: 'active',
    factor_verification_age: [0, -1],
    expire_at: later,
    abandon_at: later,
    last_active_at: Date.now(),
    last_active_token: { object: 'token', id: '', jwt: token },
    last_active_organization_id: organisationId,
    actor: null,
    tasks: null,
    user: user(person, memberships),
    public_user_data: publicUserData(person),
    ...stamps,
  };
}

export function client(
  id: string,
  sessions: SessionPayload[],
  signIn: SignInPayload | null,
): ClientPayload {
  return {
    object: 'client',
    id,
    sessions,
    sign_up: null,
    sign_in: signIn,
    captcha_bypass: false,
    last_active_session_id: sessions[0]?.id ?? null,
    last_authentication_strategy: null,
    cookie_expires_at: null,
    created_at: since,
    updated_at: Date.now(),
  };
}

/** A sign-in that waits for the password, or that made a session. */
export function signIn(id: string, person: Person, createdSession: string | null): SignInPayload {
  return {
    object: 'sign_in',
    id,
    status: createdSession === null ? 'needs_first_factor' : 'complete',
    identifier: person.email,
    user_data: {
      first_name: person.firstName,
      last_name: person.lastName,
      image_url: '',
      has_image: false,
    },
    supported_first_factors: [
      { strategy: 'password' },
      {
        strategy: 'email_code',
        email_address_id: `idn_${person.id}`,
        safe_identifier: person.email,
        primary: true,
      },
    ],
    supported_second_factors: [],
    first_factor_verification: null,
    second_factor_verification: null,
    created_session_id: createdSession,
  };
}
