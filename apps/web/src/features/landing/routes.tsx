import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { LandingPage } from './landing-page';

export const landingRoutes: RouteObject[] = [{ path: paths.landing, Component: LandingPage }];
