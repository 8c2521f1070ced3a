import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { ApiKey } from './entities.js';
import { requestOf, tokenHashOf } from './requests.js';

@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly known = new Map<string, { key: ApiKey; until: number }>();

  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const secret_hash = tokenHashOf(request);
    const cached = this.known.get(secret_hash);
    if (cached !== undefined && cached.until > Date.now()) {
      request.apiKey = cached.key;
      return true;
    }
    const key = await this.keys.findOne({ where: { secret_hash, revoked_at: IsNull() } });
    if (key === null) throw new UnauthorizedException();
    this.known.set(secret_hash, { key, until: Date.now() + 1000 });
    request.apiKey = key;
    return true;
  }
}
