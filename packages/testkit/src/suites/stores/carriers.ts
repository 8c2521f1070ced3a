import { describe, expect, test } from '@jest/globals';
import type { CarrierCorrection, CarrierDetails, ClaimId, Svcid } from '@svc/domain';
import type { Fixture } from '../../fixture.ts';

export function carriersBehavior(fixture: () => Fixture): void {
  const entryOf = async (svcId: Svcid, id: ClaimId): Promise<CarrierDetails | null> =>
    (await fixture().use.readClaim({ svcId }, id)).bookCarrier;

  describe("the firm's carrier book", () => {
    const address = { street: '1 Levee Rd', city: 'Slidell', state: 'LA', zip: '70458' };

    test('fills in missing details and never overwrites', async () => {
      const { newTeam, newClaim, send, use } = fixture();
      const { firm, svcId } = await newTeam();
      const sent: CarrierDetails[] = [
        { name: 'Gulf Mutual' },
        { name: ' GULF  mutual', phone: '985-555-0142' },
        { name: 'gulf mutual', phone: '504-555-0199', email: 'claims@gulf.example' },
        { name: 'Gulf Mutual', email: 'other@gulf.example', address },
        { name: 'Gulf Mutual', address: { ...address, street: '2 Levee Rd' } },
      ];
      const ids: ClaimId[] = [];
      for (const carrier of sent) {
        ids.push((await send(firm.live, svcId, { claim: newClaim({ carrier }) })).claim.id);
      }
      const merged = { name: 'Gulf Mutual', phone: '985-555-0142', email: 'claims@gulf.example', address };
      for (const id of ids) {
        expect(await entryOf(svcId, id)).toEqual(merged);
        expect((await use.acceptClaim({ svcId }, id)).bookCarrier).toEqual(merged);
        expect((await use.closeAcceptedClaim({ svcId }, id)).bookCarrier).toEqual(merged);
      }
    });

    test('accepts names of full length in any script', async () => {
      const { newTeam, newClaim, send } = fixture();
      const { firm, svcId } = await newTeam();
      for (const name of ['ß'.repeat(255), '🌊'.repeat(255), 'İ'.repeat(255)]) {
        const { claim } = await send(firm.live, svcId, { claim: newClaim({ carrier: { name } }) });
        expect(await entryOf(svcId, claim.id)).toEqual({ name });
      }
    });

    test('is shared by test and live claims, but not with other firms', async () => {
      const { newFirm, newMember, newClaim, send } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const svcId = await newMember(firm);
      const stranger = await newMember(other);
      const named = { name: 'Gulf Mutual' };
      const full = { ...named, phone: '985-555-0142' };
      await send(firm.test, firm.accounts.manual, { claim: newClaim({ carrier: full }) });
      const live = await send(firm.live, svcId, { claim: newClaim({ carrier: named }) });
      const theirs = await send(other.live, stranger, { claim: newClaim({ carrier: named }) });
      expect(await entryOf(svcId, live.claim.id)).toEqual(full);
      expect(await entryOf(stranger, theirs.claim.id)).toEqual(named);
    });

    test('loses no detail of twenty concurrent claims', async () => {
      const { newTeam, newClaim, send } = fixture();
      const { firm, svcId } = await newTeam();
      const parts: Partial<CarrierDetails>[] = [
        {},
        { phone: '985-555-0142' },
        { email: 'claims@gulf.example' },
        { address },
      ];
      const sent = await Promise.all(
        Array.from({ length: 20 }, (_, n) => {
          const carrier = { name: n % 2 === 0 ? 'Gulf Mutual' : 'GULF MUTUAL', ...parts[n % 4] };
          return send(firm.live, svcId, { claim: newClaim({ carrier }) });
        }),
      );
      const found = await entryOf(svcId, sent[0]?.claim.id as ClaimId);
      expect(found).toEqual({
        name: expect.stringMatching(/^gulf mutual$/i),
        phone: '985-555-0142',
        email: 'claims@gulf.example',
        address,
      });
    });

    test('is corrected by the operator: forms show it at once, claims keep what they sent, and the trail has no details', async () => {
      const { newFirm, newMember, newClaim, send, use, auditOf } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const svcId = await newMember(firm);
      const sent: CarrierDetails = { name: 'Gulf Mutual', phone: '985-555-0142', email: 'old@gulf.example' };
      const theirs = await send(other.test, other.accounts.manual, { claim: newClaim({ carrier: sent }) });
      const one = await send(firm.live, svcId, { claim: newClaim({ carrier: sent }) });
      const correct = (correction: CarrierCorrection) => use.setCarrier(firm.id, ' GULF  mutual', correction);
      const corrected = { name: 'Gulf Mutual', phone: '504-555-0199', address };
      for (const _ of ['first', 'again'])
        expect(await correct({ phone: '504-555-0199', email: null, address })).toEqual(corrected);
      const named = { claim: newClaim({ carrier: { name: 'gulf mutual', phone: '985-555-0142' } }) };
      const two = await send(firm.live, svcId, named);
      for (const { claim } of [one, two]) expect(await entryOf(svcId, claim.id)).toEqual(corrected);
      expect((await use.readClaim({ svcId }, one.claim.id)).asSent).toBe(one.claim.asSent);

      await use.removeCarrier(firm.id, 'gulf mutual');
      expect(await entryOf(svcId, one.claim.id)).toBeNull();
      for (const failing of [() => correct({ phone: '1' }), () => use.removeCarrier(firm.id, 'gulf mutual')])
        await expect(failing()).rejects.toThrow(/the carrier book of the firm .* has no "/);
      await send(firm.live, svcId, { claim: newClaim({ carrier: sent }) });
      expect(await entryOf(svcId, one.claim.id)).toEqual(sent);
      expect(await entryOf(other.accounts.manual, theirs.claim.id)).toEqual(sent);

      const events = await auditOf(firm.id);
      const ofCarrier = { actor: 'operator:test-operator', object: 'carrier:Gulf Mutual', outcome: 'ok' };
      expect(events.filter(({ object }) => object?.startsWith('carrier:'))).toMatchObject([
        {
          ...{ ...ofCarrier, action: 'carrier.change' },
          changes: {
            phone: { from: 'held', to: 'replaced' },
            email: { from: 'held', to: 'none' },
            address: { from: 'none', to: 'replaced' },
          },
        },
        { ...ofCarrier, action: 'carrier.remove' },
      ]);
      for (const detail of ['555-0199', 'gulf.example', 'Levee'])
        expect(JSON.stringify(events)).not.toContain(detail);
    });

    test('keeps a correction that is made while claims of the carrier are sent', async () => {
      const { newTeam, newClaim, send, use } = fixture();
      const { firm, svcId } = await newTeam();
      const name = 'Gulf Mutual';
      const sending = (phone?: string) =>
        send(firm.live, svcId, { claim: newClaim({ carrier: { name, phone, address } }) });
      const { claim } = await send(firm.live, svcId, { claim: newClaim({ carrier: { name } }) });
      await Promise.all([
        ...Array.from({ length: 8 }, () => sending('985-555-0142')),
        use.setCarrier(firm.id, name, { phone: '504-555-0199' }),
        ...Array.from({ length: 8 }, () => sending('985-555-0142')),
        use.setCarrier(firm.id, name, { email: 'claims@gulf.example' }),
      ]);
      expect(await entryOf(svcId, claim.id)).toEqual({
        ...{ name, phone: '504-555-0199', email: 'claims@gulf.example', address },
      });
    });

    test('keeps carriers separate when claims for them arrive concurrently in any order', async () => {
      const { newTeam, newClaim, send } = fixture();
      const { firm, svcId } = await newTeam();
      const names = ['Alpha', 'Beta', 'Gamma', 'Delta'];
      const sent = await Promise.all(
        Array.from({ length: 24 }, (_, n) => {
          const name = names[(n * 7) % names.length] as string;
          const carrier = { name, ...(n % 3 === 0 ? { email: `${name}@carriers.example` } : {}) };
          return send(firm.live, svcId, { claim: newClaim({ carrier }) });
        }),
      );
      for (const { claim } of sent) {
        const found = await entryOf(svcId, claim.id);
        expect(found?.email).toBe(`${found?.name}@carriers.example`);
      }
    });
  });
}
