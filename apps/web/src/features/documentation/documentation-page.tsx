import { Link } from 'react-router-dom';
import { apiBase, paths } from '@/paths';
import { Alert } from '@/ui/alert';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { usePageTitle } from '@/ui/use-page-title';

export function DocumentationPage() {
  usePageTitle('Documentation');
  return (
    <main className="mx-auto grid min-h-dvh max-w-2xl content-center gap-4 p-4">
      <Card>
        <CardHeader title="Documentation" level={1} />
        <CardBody className="grid gap-4">
          <Alert>Coming Soon: The guides for operators and visitors are being written here.</Alert>
          <p>
            Every call of the API is described by its{' '}
            <a className="text-accent underline" href={`${apiBase}/openapi.json`}>
              OpenAPI document
            </a>
            .
          </p>
        </CardBody>
      </Card>
      <Link className="justify-self-center text-accent underline" to={paths.landing}>
        Back to Home
      </Link>
    </main>
  );
}
