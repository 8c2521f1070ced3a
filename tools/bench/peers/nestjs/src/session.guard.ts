import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import { Session } from './entities.js';
import { requestOf, tokenHashOf } from './requests.js';

@Injectable()
export class SessionGuard implements CanActivate {
  constructor(@InjectRepository(Session) private readonly sessions: Repository<Session>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const session = await this.sessions.findOne({
      where: { token_hash: tokenHashOf(request), expires_at: MoreThan(new Date()) },
    });
    if (session === null) throw new UnauthorizedException();
    request.session = session;
    return true;
  }
}
