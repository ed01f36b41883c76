import type { Connect, Plugin } from 'vite';

/** Answers /status/{orgId} with status.html in development and preview, as the server does in production. */
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
