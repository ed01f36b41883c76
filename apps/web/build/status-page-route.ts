import type { Connect, Plugin } from 'vite';

/**
 * Serves status.html at /status/{orgId} in development and preview, like the server in production.
 */
export function statusPageRoute(): Plugin {
  const rewrite: Connect.NextHandleFunction = (request, _response, next) => {
    if (request.url && /^\/status\/[^/.]+\/?(\?|$)/.test(request.url)) {
      request.url = '/status.html';
    }
    next();
  };
  return {
    name: 'allclear:status-page-route',
    configureServer: (server) => void server.middlewares.use(rewrite),
    configurePreviewServer: (server) => void server.middlewares.use(rewrite),
  };
}
