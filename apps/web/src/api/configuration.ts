import { createContext, use } from 'react';
import type { Configuration } from './types';

export const ConfigurationContext = createContext<Configuration | null>(null);

/** The configuration of the installation when the page was opened. */
export function useConfiguration(): Configuration {
  const configuration = use(ConfigurationContext);
  if (configuration === null) throw new Error('useConfiguration needs an Identity above it');
  return configuration;
}
