import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { SettingsPage } from './settings-page';

export const settingsRoutes: RouteObject[] = [{ path: paths.settings, Component: SettingsPage }];
