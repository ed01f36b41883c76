/**
 * Ids of the routes to which features.ts adds the features' screens, by the users who may see them.
 */
export const groups = {
  everyone: 'everyone',
  signedOut: 'signed-out',
  organisation: 'organisation',
} as const;

export type Group = (typeof groups)[keyof typeof groups];
