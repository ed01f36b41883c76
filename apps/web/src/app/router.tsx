import { createBrowserRouter } from 'react-router-dom';
import { loadFeatures } from './features';
import { routes } from './routes';

export const router = createBrowserRouter(routes, { patchRoutesOnNavigation: loadFeatures });
