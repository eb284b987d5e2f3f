namespace Bookstore;

/// <summary>What a customer wants to buy, as sent: anything may be missing until it is checked.</summary>
public sealed record Cart(string? Customer, CartLine?[]? Lines, string? Coupon = null)
{
    public const int MaxLines = 4;
    public const int MaxQuantity = 99;
    public const int MaxCustomer = 32;

    public const string Hint =
        """send a cart such as {"customer":"c-7","lines":[{"book":12,"quantity":2}],"coupon":"SPRING-15"}""";

    /// <summary>The whole cart as one short text, equal for equal carts.</summary>
    public string Key =>
        $"{Customer}|{Coupon}|{string.Join('|', Lines!.Select(l => $"{l!.Quantity}x{l.Book}"))}";

    /// <summary>What is wrong with the cart, null when nothing is.</summary>
    public string? Fault()
    {
        if (Customer is not { Length: >= 1 and <= MaxCustomer } || !Customer.All(IsCustomerChar))
            return $"customer must be 1 to {MaxCustomer} of a-z, 0-9 and -";
        if (Lines is not { Length: >= 1 and <= MaxLines })
            return $"lines must be a list of 1 to {MaxLines} entries";

        for (int i = 0; i < Lines.Length; i++)
        {
            if (Lines[i]?.Book is not (>= 1 and <= Catalog.Books))
                return $"lines[{i}].book must be a whole number from 1 to {Catalog.Books}";
            if (Lines[i]?.Quantity is not (>= 1 and <= MaxQuantity))
                return $"lines[{i}].quantity must be a whole number from 1 to {MaxQuantity}";
        }

        if (Coupon is not null && !Coupons.OnSale(Coupon))
            return "coupon must be a code on sale, such as SPRING-15";
        return null;
    }

    private static bool IsCustomerChar(char c) =>
        char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-';
}

public sealed record CartLine(int? Book, int? Quantity);
