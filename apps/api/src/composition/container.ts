import 'reflect-metadata';
import { invalidatingSessions, type Made, type UnitOfWork } from '@svc/application';
import { Container } from 'inversify';
import { createHttpApplication, type HttpApplication } from '../http/http-application.ts';
import { mcpRoute } from '../http/mcp/mcp-route.ts';
import type { PageRoute } from '../http/routes/page-route.ts';
import type { Route } from '../http/routes/route.ts';
import { accounts } from './accounts.ts';
import { claims } from './claims.ts';
import { imports } from './imports.ts';
import { keys } from './keys.ts';
import { members } from './members.ts';
import { operation } from './operation.ts';
import type { ExternalServices, Ports } from './services.ts';
import { webhooks } from './webhooks.ts';

const made = {
  ...accounts.services,
  ...claims.services,
  ...imports.services,
  ...keys.services,
  ...members.services,
  ...operation.services,
  ...webhooks.services,
};

/** Every service by its name; it is made, with those it needs, when it is first asked for. */
export interface Services extends Ports, Made<typeof made> {
  /** The `unitOfWork` from outside, also dropping cached sessions that a transaction ended. */
  readonly uow: UnitOfWork;
  readonly routes: readonly Route[];
  readonly pages: readonly PageRoute[];
  readonly httpApplication: HttpApplication;
}

/** What a service needs is what the type of its parameter names. */
type Make<Result> = (services: Services) => Result;

const routes: readonly Make<readonly Route[]>[] = [
  ...claims.routes,
  ...accounts.routes,
  ...imports.routes,
  ...members.routes,
  ...keys.routes,
  ...operation.routes,
  ...webhooks.routes,
];

const pages: readonly Make<PageRoute | PageRoute[]>[] = [
  ...accounts.pages,
  ...claims.pages,
  ...operation.pages,
];

/** Every service lives as long as the process; none is created per request. */
export function createContainer({ unitOfWork, ...external }: ExternalServices): Services {
  const container = new Container({ defaultScope: 'Singleton' });
  const services: Services = Object.create(null);
  const makes: { readonly [Name in Exclude<keyof Services, keyof Ports>]: Make<Services[Name]> } = {
    ...made,
    uow: ({ sessionAuthenticator }) => invalidatingSessions({ unitOfWork, sessionAuthenticator }),
    routes: (of) => {
      const operations = routes.flatMap((make) => make(of));
      return [...operations, mcpRoute({ operations, addresses: of.addresses })];
    },
    pages: (of) => pages.flatMap((make) => make(of)),
    httpApplication: createHttpApplication,
  };
  for (const [name, service] of Object.entries(external)) container.bind(name).toConstantValue(service);
  for (const [name, make] of Object.entries<Make<unknown>>(makes))
    container.bind(name).toDynamicValue(() => make(services));
  const define = (name: string, property: PropertyDescriptor): void => {
    Object.defineProperty(services, name, { configurable: true, enumerable: true, ...property });
  };
  for (const name of [...Object.keys(external), ...Object.keys(makes)])
    define(name, {
      get() {
        // Also when a service copies all others, which makes them all.
        const needsItself = () => {
          throw new Error(`the service ${name} needs itself`);
        };
        define(name, { get: needsItself });
        const value: unknown = container.get(name);
        define(name, { value });
        return value;
      },
    });
  return services;
}
