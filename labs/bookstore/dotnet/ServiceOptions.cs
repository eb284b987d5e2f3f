using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace Bookstore;

/// <summary>The command line, the same as the C edition's.</summary>
public sealed record ServiceOptions(string Host, int Port, int Rules)
{
    private const string Usage = """
        usage: bookstore [--host ADDRESS] [--port N] [--rules N] [--workers N]
          --host ADDRESS  IPv4 address to listen on (127.0.0.1)
          --port N        port to listen on, 0 for any free one (8080)
          --rules N       campaign rules, 500 to 4000 (2000)
          --workers N     taken and ignored: the runtime sizes its pool of threads itself
        """;

    /// <summary>Tells what is wrong on standard error when it returns false.</summary>
    public static bool TryParse(string[] args, [NotNullWhen(true)] out ServiceOptions? options)
    {
        options = new ServiceOptions("127.0.0.1", 8080, RuleBook.DefaultCount);
        for (int i = 0; options is not null && i < args.Length; i += 2)
            options = options.With(args[i], i + 1 < args.Length ? args[i + 1] : "");

        if (options is null)
            Console.Error.WriteLine(Usage);
        return options is not null;
    }

    private ServiceOptions? With(string name, string value) => name switch
    {
        "--host" when IPAddress.TryParse(value, out _) => this with { Host = value },
        "--port" when Number(value, 0, 65535) is { } n => this with { Port = n },
        "--rules" when Number(value, RuleBook.MinCount, RuleBook.MaxCount) is { } n => this with { Rules = n },
        "--workers" when Number(value, 4, 64) is not null => this,
        _ => null,
    };

    private static int? Number(string text, int min, int max) =>
        int.TryParse(text, out int n) && n >= min && n <= max ? n : null;
}
