/** All paths of the product: screens, and endpoints below the API's base path. */
import { publicEndpoints, publicPaths } from './public-paths';

export { apiBase } from './public-paths';

const segment = encodeURIComponent;

export const paths = {
  ...publicPaths,
  login: '/login',
  /** Says in a window of its own how a sign-in with an identity provider ended. */
  signedIn: '/signed-in',
  verify: '/verify',
  unsubscribe: '/unsubscribe',
  subscription: '/subscription',
  onboarding: '/onboarding',
  dashboard: '/dashboard',
  metrics: '/metrics',
  components: {
    list: '/components',
    create: '/components/component/create',
    edit: (componentId: string) => `/components/component/edit/${segment(componentId)}`,
    order: '/components/order',
  },
  incidents: {
    list: '/incidents',
    create: '/incidents/incident/create',
    edit: (incidentId: string) => `/incidents/incident/edit/${segment(incidentId)}`,
    /** A new incident that affects a component. */
    createOn: (componentId: string) =>
      `/incidents/incident/create?component=${segment(componentId)}`,
    /** A new incident like an earlier one. */
    duplicate: (incidentId: string) => `/incidents/incident/create?from=${segment(incidentId)}`,
    /** The components of an incident. */
    components: (incidentId: string) =>
      `/incidents/incident/edit/${segment(incidentId)}?tab=components`,
  },
  schedules: {
    list: '/schedules',
    create: '/schedules/maintenance/create',
    edit: (maintenanceId: string) => `/schedules/maintenance/edit/${segment(maintenanceId)}`,
    /** A new maintenance like an earlier one. */
    duplicate: (maintenanceId: string) =>
      `/schedules/maintenance/create?from=${segment(maintenanceId)}`,
  },
  /** Pages of the public, below the address of the status page, which may be a domain. */
  publicPages: {
    incident: (code: string) => `/incidents/${code}`,
    maintenance: (code: string) => `/maintenances/${code}`,
  },
  subscribers: '/subscribers',
  audit: '/audit',
  /** The history of one thing. */
  history: (targetId: string) => `/audit?targetId=${segment(targetId)}`,
  settings: '/settings',
  organisation: '/organisation',
  waitlist: '/waitlist',
  documentation: '/docs',
  guide: (guide: string) => `/docs/${guide}`,
  apiReference: '/docs/api-reference',
  about: '/about',
  blog: '/blog',
  blogPost: (slug: string) => `/blog/${slug}`,
  careers: '/careers',
  legal: '/legal',
  discord: '/discord',
  sponsor: '/sponsor',
} as const;

/** Patterns of the screens with parameters, for the router. */
export const routes = {
  editComponent: '/components/component/edit/:componentId',
  editIncident: '/incidents/incident/edit/:incidentId',
  editMaintenance: '/schedules/maintenance/edit/:maintenanceId',
  status: '/status/:orgId',
} as const;

/** Endpoints of the API, relative to `apiBase`. */
export const endpoints = {
  configuration: '/configuration',
  organisationSettings: '/organisation',
  apiKeys: {
    list: '/api-key/list',
    create: '/api-key/create',
    item: (id: string) => `/api-key/${segment(id)}`,
  },
  organisationDomain: { item: '/organisation/domain', verify: '/organisation/domain/verify' },
  ...publicEndpoints,
  audit: (query: URLSearchParams) => (query.size > 0 ? `/audit?${query.toString()}` : '/audit'),
  dashboard: '/dashboard',
  metrics: (days: number) => `/metrics?days=${days}`,
  components: {
    list: '/component/list',
    create: '/component/create',
    item: (id: string) => `/component/${segment(id)}`,
    history: (id: string) => ({
      list: `/component/${segment(id)}/history`,
      create: `/component/${segment(id)}/history/create`,
      item: (periodId: string) => `/component/${segment(id)}/history/${segment(periodId)}`,
    }),
  },
  componentGroups: {
    list: '/component-group/list',
    create: '/component-group/create',
    item: (id: string) => `/component-group/${segment(id)}`,
  },
  componentOrder: '/component/order',
  incidents: {
    list: '/incident/list',
    create: '/incident/create',
    item: (id: string) => `/incident/${segment(id)}`,
    components: (id: string) => `/incident/${segment(id)}/components/list`,
    unattached: (id: string) => `/incident/${segment(id)}/components/unattached`,
    impacts: (id: string) => `/incident/${segment(id)}/components`,
    attach: (id: string) => `/incident/${segment(id)}/components/attach`,
    detach: (id: string) => `/incident/${segment(id)}/components/detach`,
    updates: (id: string) => `/incident/${segment(id)}/updates/list`,
    update: (id: string, updateId: string) =>
      `/incident/${segment(id)}/updates/${segment(updateId)}`,
    createUpdate: (id: string) => `/incident/${segment(id)}/updates/create`,
    deleteUpdates: (id: string) => `/incident/${segment(id)}/updates/delete`,
    review: (id: string) => ({
      item: `/incident/${segment(id)}/review`,
      preview: `/incident/${segment(id)}/review/preview`,
      publish: `/incident/${segment(id)}/review/publish`,
    }),
  },
  maintenances: {
    list: '/maintenance/list',
    create: '/maintenance/create',
    item: (id: string) => `/maintenance/${segment(id)}`,
    updates: (id: string) => `/maintenance/${segment(id)}/updates/list`,
    update: (id: string, updateId: string) =>
      `/maintenance/${segment(id)}/updates/${segment(updateId)}`,
    createUpdate: (id: string) => `/maintenance/${segment(id)}/updates/create`,
    deleteUpdates: (id: string) => `/maintenance/${segment(id)}/updates/delete`,
  },
  subscribers: {
    list: '/subscriber/list',
    deliveries: '/subscriber/deliveries',
    create: '/subscriber',
    item: (id: string) => `/subscriber/${segment(id)}`,
    rotateSecret: (id: string) => `/subscriber/${segment(id)}/rotate-secret`,
    test: (id: string) => `/subscriber/${segment(id)}/test`,
    verification: (id: string) => `/subscriber/${segment(id)}/verification`,
    import: (query: URLSearchParams) => `/subscriber/import?${query.toString()}`,
    export: '/subscriber/export',
    preview: (channel: string) => `/subscriber/preview?channel=${segment(channel)}`,
    subscription: '/subscriber/subscription',
    subscribe: '/subscriber/public',
    verify: '/subscriber/verify',
    unsubscribe: '/subscriber/unsubscribe',
  },
  identity: {
    signUp: '/identity/sign-up',
    confirmSignUp: '/identity/sign-up/confirm',
    signIn: '/identity/sign-in',
    signInCode: '/identity/sign-in/code',
    signInPasskey: {
      options: '/identity/sign-in/passkey/options',
      response: '/identity/sign-in/passkey',
    },
    reauthenticate: '/identity/re-authenticate',
    reauthenticatePasskey: {
      options: '/identity/re-authenticate/passkey/options',
      response: '/identity/re-authenticate/passkey',
    },
    provider: (id: string) => ({
      start: `/identity/oidc/${segment(id)}/start`,
      reauthenticate: `/identity/oidc/${segment(id)}/re-authenticate`,
    }),
    sessions: '/identity/sessions',
    listedSession: (id: string) => `/identity/sessions/${segment(id)}`,
    signOut: '/identity/sign-out',
    session: '/identity/session',
    sessionFactor: '/identity/session/second-factor',
    token: '/identity/token',
    user: '/identity/user',
    address: '/identity/user/address',
    confirmAddress: '/identity/user/address/confirm',
    password: '/identity/user/password',
    factors: '/identity/user/factors',
    totp: '/identity/user/totp',
    confirmTotp: '/identity/user/totp/confirm',
    recoveryCodes: '/identity/user/recovery-codes',
    passkeys: '/identity/user/passkeys',
    passkeyOptions: '/identity/user/passkeys/options',
    passkey: (id: string) => `/identity/user/passkeys/${segment(id)}`,
    passwordReset: '/identity/password-reset',
    confirmPasswordReset: '/identity/password-reset/confirm',
    organisations: '/identity/organisations',
    organisation: (id: string) => `/identity/organisations/${segment(id)}`,
    factorRequirement: (id: string) => `/identity/organisations/${segment(id)}/second-factor`,
    members: (id: string) => `/identity/organisations/${segment(id)}/members`,
    member: (id: string, userId: string) =>
      `/identity/organisations/${segment(id)}/members/${segment(userId)}`,
    invitations: (id: string) => `/identity/organisations/${segment(id)}/invitations`,
    invitation: (id: string, invitationId: string) =>
      `/identity/organisations/${segment(id)}/invitations/${segment(invitationId)}`,
    inspectInvitation: '/identity/invitations/inspect',
    acceptInvitation: '/identity/invitations/accept',
    waitlist: '/identity/waitlist',
    waitlistEntry: (id: string) => `/identity/waitlist/${segment(id)}`,
    inviteFromWaitlist: (id: string) => `/identity/waitlist/${segment(id)}/invite`,
  },
} as const;
