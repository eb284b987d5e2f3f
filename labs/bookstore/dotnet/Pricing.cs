namespace Bookstore;

/// <param name="Rule">Number of the rule that won, from 1; null when none took anything off.</param>
public sealed record PricedLine(
    int Book, int Quantity, int UnitCents, int GrossCents, int DiscountCents, int? Rule);

public sealed record Quote(
    string Customer, string? Coupon, PricedLine[] Lines, int GrossCents, int DiscountCents,
    int TotalCents);

/// <summary>
/// The quote for a cart: on every line the one campaign rule that takes most off. README.md states it
/// in words exact enough to write it a third time.
/// </summary>
public sealed class Pricing(Catalog catalog)
{
    /// <param name="cart">A cart without a fault.</param>
    public Quote Price(Cart cart, CampaignRule[] rules)
    {
        var lines = new PricedLine[cart.Lines!.Length];
        int gross = 0, discount = 0;

        for (int i = 0; i < lines.Length; i++)
        {
            var line = cart.Lines[i]!;
            lines[i] = PriceLine(line.Book!.Value, line.Quantity!.Value, cart.Coupon, rules);
            gross += lines[i].GrossCents;
            discount += lines[i].DiscountCents;
        }
        return new Quote(cart.Customer!, cart.Coupon, lines, gross, discount, gross - discount);
    }

    private PricedLine PriceLine(int id, int quantity, string? coupon, CampaignRule[] rules)
    {
        var book = catalog[id];
        int gross = quantity * book.PriceCents;
        int best = 0;
        int? winner = null;

        for (int i = 0; i < rules.Length; i++)
        {
            if (!Matches(rules[i], book, quantity, coupon))
                continue;
            int cents = Math.Min(Discount(rules[i], quantity, book.PriceCents), gross / 2);
            if (cents > best)
            {
                best = cents;
                winner = i + 1;
            }
        }
        return new PricedLine(id, quantity, book.PriceCents, gross, best, winner);
    }

    private static bool Matches(CampaignRule rule, Book book, int quantity, string? coupon) =>
        (rule.Category == book.Category || rule.Category == Catalog.AnyCategory)
        && quantity >= rule.Min
        && (rule.Coupon is null || rule.Coupon == coupon);

    private static int Discount(CampaignRule rule, int quantity, int unitCents) => rule.Kind switch
    {
        DiscountKind.Percent => quantity * unitCents * rule.Value / 100,
        DiscountKind.Amount => quantity * rule.Value,
        _ => quantity / rule.Min * rule.Value * unitCents,
    };
}
